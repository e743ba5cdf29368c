"""Fuzzers that know the formats: what they break is broken inside, with a new checksum."""
