"""Responses that are there already, from any harness: rows of any form → records, joined with their questions."""
