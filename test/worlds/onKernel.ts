import { Effect, Scope } from "effect"
import type { PluginEnvironmentOptions } from "../../src/worlds/handle/PluginEnvironment.ts"
import * as PluginEnvironment from "../../src/worlds/handle/PluginEnvironment.ts"
import { type TestKernelOptions, testKernel } from "../kernel/testKernel.ts"

/** The environment of a plugin, on a kernel in the scope of the test. `run` finds the kernel's services. */
export const environmentOn = (kernel: TestKernelOptions, options: PluginEnvironmentOptions) =>
  Effect.gen(function* () {
    const { run } = yield* Effect.flatMap(testKernel(kernel), ({ start }) => start)
    const scope = yield* Effect.scope
    return { run, environment: yield* run(Scope.extend(PluginEnvironment.open(options), scope)) }
  })
