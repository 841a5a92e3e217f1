import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import * as OtherRecorders from "../../src/workspace/OtherRecorders.ts"
import * as TaskFiles from "../../src/workspace/TaskFiles.ts"
import * as Workspaces from "../../src/workspace/Workspaces.ts"
import { temporary } from "../record/recorded.ts"

const KNOWN = process.env.HINDCAST_STATE
beforeEach(() => {
  process.env.HINDCAST_STATE = temporary("state")
})
afterEach(() => {
  process.env.HINDCAST_STATE = KNOWN
})

describe("a call of another recorder while the files are looked at", () => {
  it("is a suspect of what it changed after they were read, although it has ended by the end of the look", async () => {
    const root = temporary("root")
    fs.mkdirSync(root)
    const log = temporary("log.db")
    fs.writeFileSync(log, "")
    const workspaces = Workspaces.make({ log, hasSecret: () => false })
    const other = OtherRecorders.of(root)
    const { snapshots } = workspaces.at(root)
    const take = snapshots.takeInTurns.bind(snapshots)
    /** What the other recorder does between the reading of the files and the end of the look. */
    let meanwhile = () => {}
    Object.assign(snapshots, {
      takeInTurns: async () => {
        const taken = await take()
        meanwhile()
        return taken
      },
    })
    const told: Array<CoreNewEvent> = []
    const tell: TaskFiles.TaskFilesOptions["tell"] = async (...events) => told.push(...events)
    const files = TaskFiles.make({ workspaces, root, past: [], openedBy: "opened", tell })
    await files.look()
    await files.before({ commandId: "c", last: "allowed", args: {} })
    meanwhile = () => {
      other.begin()
      fs.writeFileSync(path.join(root, "theirs.txt"), "theirs")
      other.rest()
      meanwhile = () => {}
    }
    await files.look()
    expect(told.map(({ type }) => type)).toEqual(["EnvironmentReset"])
    await files.after({ commandId: "c", end: "ended" })
    workspaces.close()
    other.close()
    expect(told.slice(1)).toEqual([
      {
        type: "EnvironmentChanged",
        causationId: "opened",
        payload: expect.objectContaining({ unattributed: "not-watched", patch: expect.any(Array) }),
      },
    ])
  })
})
