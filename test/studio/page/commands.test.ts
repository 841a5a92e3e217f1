import { describe, expect, it } from "vitest"
import { meaningOf } from "../../../src/studio/page/model/commands.ts"
import { KEYS } from "../../../src/studio/page/model/keys.ts"

const says = (text: string) => meaningOf(text)?.says ?? null

describe("a text in the box", () => {
  it.each([
    ["", null],
    ["@", "a position, such as @412"],
    ["@412", "go to @412"],
    ["412", "go to @412"],
    ["main@412", "go to main@412"],
    ["01a214e8-c293-7d0c-87c6-cf292db3486a", "go to 01a214e8-c293-7d0c-87c6-cf292db3486a"],
    ["2026-11-21T20:36:31.372Z", "go to 2026-11-21T20:36:31.372Z"],
    ["2026-11-21 20:36:31.372", "go to 2026-11-21 20:36:31.372, by the clock here"],
    ["20:36:31.372", "go to 20:36:31.372, by the clock here"],
    ["20:36", "go to 20:36, by the clock here"],
    ["/tasks/task-0015/goal", "follow the value at /tasks/task-0015/goal"],
    ["task-0015", "open the task task-0015"],
    ["task the night watch", "open the task the night watch"],
    ["search boiler", "search all payloads for “boiler”"],
    ["plugins", "show plugins, their grants, crashes and requests"],
    ["why", "why it happened (w)"],
    ["next failure", "the next failure (b)"],
    ["compare", "compare with another task or fork (x)"],
    ["event.type == 'SensorFailed'", "mark where this is true: event.type == 'SensorFailed'"],
    ["true", "mark where this is true: true"],
  ])("%s is read as what it says: %s", (text, expected) => {
    expect(says(text)).toBe(expected)
  })

  it("names each command that is not the box itself, by a name of its own", () => {
    const names = KEYS.flatMap(({ name }) => (name === null ? [] : [name]))
    expect(new Set(names).size).toBe(names.length)
    expect(KEYS.filter(({ name }) => name === null).map(({ shown }) => shown)).toEqual(["g", "/"])
    for (const { name, says: meaning, shown } of KEYS)
      if (name !== null) expect(says(name)).toBe(`${meaning} (${shown})`)
  })
})
