/** The first kernel of the demo's story: this program, with an unlisted command. */
import { Args, Command } from "@effect/cli"
import { FirstKernel } from "#demo"
import * as DemoStage from "./DemoStage.ts"

export const firstKernel = Command.make(DemoStage.FIRST_KERNEL, { start: Args.text({ name: "start" }) }, ({ start }) =>
  FirstKernel.run(DemoStage.user(), start),
)
