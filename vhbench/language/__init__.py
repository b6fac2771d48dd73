"""English-language processing: response parsing, caption claims, inflection."""
