"""Things on a ground, and questions of where they are: every expression means one thing only."""

from gnomon.generators.scene.generator import Scene as Scene
