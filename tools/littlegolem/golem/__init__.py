"""The parts of the Little Golem bot. They know the site and the protocol of the engine, and nothing of how an engine thinks."""
