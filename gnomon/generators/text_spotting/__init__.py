"""Pictures of texts: find a text, read a text, or list all texts with their boxes."""

from gnomon.generators.text_spotting.generator import TextSpotting as TextSpotting
