/** Makes the one file of the runner, which Deno is given also where the sources run: the only thing that their tests wait for. */
import { spawnSync } from "node:child_process"
import { inRepository } from "./repository.ts"

export default function runner(): void {
  const { status, stderr } = spawnSync(process.execPath, [inRepository("scripts", "runner.mjs")], { encoding: "utf8" })
  if (status !== 0) throw new Error(`the runner cannot be built:\n${stderr}`)
}
