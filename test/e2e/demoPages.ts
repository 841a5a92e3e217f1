import { afterAll, beforeAll, describe } from "vitest"
import { copyOfDemoLog, saidOfDemoLog } from "../demoLog.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { type Following, followed } from "./page.ts"

export interface DemoPages extends Pick<Following, "writes"> {
  /** The tasks of the demo's log, which is made once and copied for each page. */
  readonly tasks: number
  /** What a page needs in its directory besides. */
  readonly prepare?: (place: ReturnType<typeof workplace>) => void
}

/** Follows pages of `docs/` about the demo's log, each in a directory and with a copy of the log of its own. */
export const demoPages = (pages: ReadonlyArray<string>, { tasks, prepare, ...following }: DemoPages): void => {
  describe.each(pages)("docs/%s, followed word by word", (page) => {
    const place = workplace()
    afterAll(place.remove)

    let said: string
    beforeAll(async () => {
      await copyOfDemoLog(tasks, 7, place.directory)
      said = await saidOfDemoLog(tasks, 7)
      prepare?.(place)
    }, 120_000)

    followed(inRepository("docs", page), place.directory, {
      ...following,
      before: (command) => (command.startsWith("hindcast demo ") ? said : undefined),
    })
  })
}
