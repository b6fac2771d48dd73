"""What lies behind the scores: `vhbench analyse`."""
