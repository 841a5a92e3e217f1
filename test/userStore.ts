import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** The store of a user who has trusted nothing yet, for one run of tests. It goes with the process. */
export const userStore = (): string => {
  const known = process.env[OF_TESTS]
  if (known !== undefined) return known
  const store = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), "hindcast-state-"))
  process.once("exit", () => fs.rmSync(store, { recursive: true, force: true }))
  process.env[OF_TESTS] = store
  // For what is made before the tests, in this process.
  process.env.HINDCAST_STATE = store
  return store
}

/** Names the store to a configuration that is read again. */
const OF_TESTS = "HINDCAST_TEST_STATE"
