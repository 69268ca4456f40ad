"""The commands `mwp-canon` and `mwp-weak`: flags in, calls to mathcanon and weaksup, text or JSON out."""
