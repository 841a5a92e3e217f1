/** The first kernel of the demo's story: this program, with a command that is in no list. */
import { Args, Command } from "@effect/cli"
import { FirstKernel } from "#demo"
import * as DemoStage from "./DemoStage.ts"

/** `hindcast demo-kernel START` */
export const firstKernel = Command.make(DemoStage.FIRST_KERNEL, { start: Args.text({ name: "start" }) }, ({ start }) =>
  FirstKernel.run(DemoStage.user(), start),
)
