import { afterAll, describe, expect, it } from "vitest"
import { followed } from "../e2e/page.ts"
import { asking } from "../e2e/standIn.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
const asked = asking(place.directory, "all")
afterAll(place.remove)

describe("docs/guides/record-langgraph.md, followed word by word", () => {
  followed(inRepository("docs", "guides", "record-langgraph.md"), place.directory, {
    writes: /^hindcast (record|replay|fork)\b/,
  })

  it("asks a model when it records, and in a fork from its moment on", () => {
    expect(asked).toEqual(["gpt-5", "gpt-5", "gpt-5-mini", "gpt-5", "gpt-5", "gpt-5", "gpt-5"])
  })
})
