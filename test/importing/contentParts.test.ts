import { expect, it } from "vitest"
import { partsOf } from "../../src/importing/traces/ContentParts.ts"

it("lists within lists are parts up to a depth; deeper ones are counted as unread, whatever their depth", () => {
  let deep: unknown = "hidden"
  for (let level = 0; level < 20_000; level++) deep = [deep]
  const unread: Array<string> = []
  const parts = partsOf(["a", [["b"], null, ""], { type: "text", text: "c" }, deep, 7], (kind) => unread.push(kind))
  expect(parts).toEqual(["a", "b", "c"].map((content) => ({ type: "text", content })))
  expect(unread).toEqual(["list", "object"])
})
