"""Texts on grounds: find one, read one, or list all with their boxes."""

from gnomon.generators.text_spotting.generator import TextSpotting as TextSpotting
