/** Runs the conformance checks of a world as Vitest tests. */

import { beforeAll, describe, it } from "vitest"
import { CHECKS, type Report } from "../conformance/Conformance.ts"
import { type CheckWorldOptions, checkWorld } from "./checkWorld.ts"

/** Maximum time of all checks together. */
const TIMEOUT_MS = 300_000

/**
 * Declares a test for each conformance check of the world in a plugin's directory. Skips a check that does not apply,
 * with the reason.
 */
export const worldSuite = (directory: string, options: CheckWorldOptions = {}): void => {
  describe(`world: ${directory}`, () => {
    let report: Report | undefined
    beforeAll(async () => {
      report = await checkWorld(directory, options)
    }, TIMEOUT_MS)

    for (const { number, name, sentence } of CHECKS) {
      it(`${name}: ${sentence}`, ({ skip }) => {
        const finding = report?.findings.find((each) => each.number === number)
        if (finding?.status === "inapplicable") skip(finding.why)
        if (finding?.status === "failed") throw new Error(finding.why)
      })
    }
  })
}
