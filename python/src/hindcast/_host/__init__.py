"""The program that runs an environment written in Python as a plugin: the other end of `plugins/channel/Protocol.ts`.

``python runner.pyz`` serves the environment that the host names in its first frame; ``python runner.pyz describe``
prints what a manifest says of it. The build makes ``runner.pyz`` from this package.
"""
