"""From a spec to what is where: wishes, places, and what is asked of the result."""
