import { describe, expect, it } from "vitest"
import * as AllowedHosts from "../../src/record/network/AllowedHosts.ts"
import { ownStackFrame, summary } from "../../src/record/network/NetworkAttempt.ts"

const parsed = (...texts: ReadonlyArray<string>) => texts.flatMap((text) => AllowedHosts.parse(text) ?? [])

describe("AllowedHosts", () => {
  it("reads a host, with a port or for every port", () => {
    expect(parsed("localhost:5432", "DB.example", "[::1]:80")).toEqual([
      { host: "localhost", port: 5432 },
      { host: "db.example", port: undefined },
      { host: "::1", port: 80 },
    ])
    expect(parsed("", ":80", "a:b", "http://a", "a/b", "a:0", "a:65536", "a b", "::1", "user@a")).toEqual([])
  })

  it("lets through what is named, by whichever name of the loopback", () => {
    const allowed = parsed("localhost:5432", "db.example")
    for (const host of ["localhost", "127.0.0.1", "::1", "LOCALHOST"]) {
      expect(AllowedHosts.includes(allowed, { host, port: 5432 })).toBe(true)
      expect(AllowedHosts.includes(allowed, { host, port: 5433 })).toBe(false)
    }
    expect(AllowedHosts.includes(allowed, { host: "DB.example", port: 1 })).toBe(true)
    for (const host of ["other.example", "sub.db.example", "db.example.evil", "localhost.evil"])
      expect(AllowedHosts.includes(allowed, { host, port: 5432 })).toBe(false)
  })
})

describe("Attempt", () => {
  it("finds the first frame of the program's own code", () => {
    const stack = `    at Object.connect (node:net:242:17)
    at connect (/app/node_modules/pg/lib/client.js:10:3)
    at async load (file:///app/tools/load.mjs:12:34)
    at file:///app/main.mjs:1:1`
    expect(ownStackFrame(stack)).toBe("load (/app/tools/load.mjs:12:34)")
    expect(ownStackFrame(stack.split("\n").slice(0, 2).join("\n"))).not.toBeNull()
    expect(ownStackFrame("    at node:net:1:2")).toBeNull()
  })

  it("tells each target once, with how often and where first", () => {
    const attempt = { means: "connection", target: "a:1", at: "main.mjs:1:1", stack: "at main.mjs:1:1" } as const
    const unplaced = { ...attempt, target: "c:3", at: null, stack: "" }
    expect(summary([attempt, { ...attempt, at: null }, { ...attempt, target: "b:2", at: null }, unplaced])).toEqual([
      "a connection to a:1, 2 times, at main.mjs:1:1",
      "a connection to b:2, from outside the program's code",
      // Seen from outside the process, which tells no place.
      "a connection to c:3",
    ])
  })
})
