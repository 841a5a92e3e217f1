import { afterAll, beforeAll, describe } from "vitest"
import { copyOfDemoLog, saidOfDemoLog } from "../demoLog.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { followed } from "./page.ts"

const place = workplace()
afterAll(place.remove)

let said: string
beforeAll(async () => {
  await copyOfDemoLog(23, 7, place.directory)
  said = await saidOfDemoLog(23, 7)
}, 120_000)

describe("docs/time-travel.md, followed word by word", () => {
  followed(inRepository("docs", "time-travel.md"), place.directory, {
    before: (command) => (command.startsWith("hindcast demo ") ? said : undefined),
  })
})
