"""Pictures of things on a ground, with questions about their places."""

from gnomon.generators.scene.generator import Scene as Scene
