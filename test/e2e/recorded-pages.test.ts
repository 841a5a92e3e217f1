import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SESSION, session } from "../importing/claudeSession.ts"
import { lines as linesOf } from "../importing/given.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import * as Likeness from "./likeness.ts"
import { followed } from "./page.ts"
import { asking, TUTORIAL } from "./standIn.ts"

/** The pages about recordings, one after the other in one directory: guides go on with the recordings of the tutorial. */
const place = workplace()
const likeness = Likeness.make()
const writes = /^(hindcast (record|replay|fork|import|task bundle|log (shred|verify))|sed|echo|node)\b/

const asked = asking(place.directory)

beforeAll(() => {
  fs.mkdirSync(place.file("sessions"))
  place.file(`sessions/${SESSION}.jsonl`, linesOf(session()))
})

afterAll(place.remove)

describe("docs/tutorials/first-recording.md, followed word by word", () => {
  followed(TUTORIAL, place.directory, { writes, likeness })

  it("asks a model as often as it says: twice to record, never to replay, once from the fork on", () => {
    const once = ["gpt-5", "gpt-5", "gpt-5-mini"]
    expect(asked.splice(0)).toEqual([...once, ...once])
  })
})

describe.each([
  "record-any-program",
  "record-without-base-url",
  "what-recordings-miss",
  "keep-keys-out",
  "continue-a-recording",
  "fork-a-recording",
  "replay-in-a-test",
])("docs/guides/%s.md, followed word by word", (guide) => {
  followed(inRepository("docs", "guides", `${guide}.md`), place.directory, { writes, likeness })
})
