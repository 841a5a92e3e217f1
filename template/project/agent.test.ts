/** Runs the agent on recorded answers of its model: offline, without a key, and with the same result each time. */
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { GOAL, makeAgent, openDesk, recorded } from "./agent.ts"

test("looks the order up, and asks before it pays", async () => {
  const directory = mkdtempSync(join(tmpdir(), "desk-"))
  const hindcast = await openDesk(join(directory, "test.db"))
  const asked: Array<string> = []
  const answering = (async () => {
    for await (const { confirmationId, shown } of hindcast.confirmations.follow()) {
      asked.push(String(shown.actuator))
      await hindcast.confirmations.decide(confirmationId, { approved: true, by: "test", channel: "test" })
    }
  })()
  const audit = await hindcast.tasks.run(makeAgent(await recorded()), { goal: GOAL })
  await hindcast.close()
  await answering
  rmSync(directory, { recursive: true })
  assert.equal(audit.outcome, "achieved")
  assert.deepEqual(asked, ["program/refund"])
})
