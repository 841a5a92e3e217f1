import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { expect, it } from "vitest"
import * as ForkDirectory from "../../../src/cli/files/fork/ForkDirectory.ts"

it.each(["/home/me/..", "/", "/home/me/.", "/home/me/...", "/home/me/conversation.MD"])(
  "a fork of %s is below its own temporary directory, next to the first prompt",
  async (root) => {
    const { directory, handover, remove } = await Effect.runPromise(ForkDirectory.placesFor(undefined, root))
    expect([path.basename(directory), path.dirname(directory)]).toEqual(["files", path.dirname(handover)])
    expect(fs.readdirSync(path.dirname(handover))).toEqual([])
    remove()
    expect(fs.existsSync(path.dirname(handover))).toBe(false)
  },
)
