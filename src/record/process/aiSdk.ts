/**
 * The entry `hindcast/ai-sdk`: `node --import hindcast/ai-sdk app.js` records a program that uses the AI SDK, without a
 * change to it. The log is `HINDCAST_LOG`, otherwise `.hindcast/log.db`.
 */

import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { isMainThread } from "node:worker_threads"
import * as Secrets from "../../agents/models/secrets/Secrets.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import * as AiSdkVersion from "./AiSdkVersion.ts"
import * as ProcessReport from "./ProcessReport.ts"
import * as ProcessRun from "./ProcessRun.ts"
import * as RecordedHere from "./RecordedHere.ts"

/** Its children load it. The bundler keeps this module in its place. */
const PRELOAD = import.meta.resolve("./preload.js")

const say = (text: string) => void fs.writeSync(process.stderr.fd, `hindcast: ${text}\n`)

/** The program, as its command says it, without keys. */
const command = (): ReadonlyArray<string> => {
  const [, file = "", ...args] = process.argv
  return Secrets.withoutKeys(["node", ...(file === "" ? [] : [path.relative(process.cwd(), file)]), ...args])
}

const nameOf = (file: string | undefined): string =>
  path.basename(file ?? "node").replace(/\.[cm]?[jt]sx?$/, "") || "node"

const record = async () => {
  const named = process.env.HINDCAST_LOG || path.join(".hindcast", "log.db")
  const log = ServerUrl.isAddress(named) ? named : path.resolve(named)
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-program-"))
  const report = path.join(place, "report.json")
  const taskId = newId()
  const used = AiSdkVersion.of(process.argv[1])
  AiSdkVersion.noteUnseen(used, report)
  process.env[ProcessRun.VARIABLE] = ProcessRun.write({
    does: "record",
    log,
    goal: command().join(" "),
    agent: nameOf(process.argv[1]),
    taskId,
    onLogFailure: "go-on",
    report,
    preload: PRELOAD,
  })
  process.once("exit", () => {
    const [told, here] = [ProcessReport.read(report), RecordedHere.current()]
    // Without a report, the program was not started, which is said already.
    if (told !== undefined && here !== undefined)
      for (const line of AiSdkVersion.linesOf(used, here, { taskId, log: ServerUrl.nameOf(log), ...told })) say(line)
    fs.rmSync(place, { recursive: true, force: true })
  })
  await import("./preload.ts")
}

// A child, a worker thread, or a program under `hindcast record` has its instructions already.
if (process.env[ProcessRun.VARIABLE] !== undefined) await import("./preload.ts")
else if (isMainThread && RecordedHere.current() === undefined) await record()
