import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { leftOut, OTHER_NODE, parseTurn } from "./test/nodes.ts"
import { projects } from "./test/projects.ts"
import { SOURCES } from "./test/sources.ts"
import { userStore } from "./test/userStore.ts"

const { program } = projects()

/** What ran on another Node already, and need not run on this one. */
const turn = process.env[OTHER_NODE]
const ran = turn === undefined ? [] : leftOut(parseTurn(turn))

export default defineConfig({
  resolve: {
    alias: Object.entries(SOURCES).map(([name, file]) => ({
      find: new RegExp(`^${name}$`),
      replacement: fileURLToPath(new URL(file, import.meta.url)),
    })),
  },
  test: {
    // Tests keep what they trust apart from what the user trusts. Programs that they start inherit it.
    env: { HINDCAST_STATE: userStore() },
    projects: [
      // Starts in seconds, also where the sources would not compile. `npx vitest run --project source` runs it alone.
      {
        extends: true,
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/long/**", ...program, ...ran],
          globalSetup: ["./test/buildRunner.ts", "./test/postgres/teardown.ts"],
        },
      },
      // What runs the program as it is built: a build comes first, where `dist/` is older than its sources.
      {
        extends: true,
        test: {
          name: "program",
          include: [...program],
          exclude: [...ran],
          globalSetup: [
            "./test/build.ts",
            "./test/buildPrograms.ts",
            "./test/demoLogPlace.ts",
            "./test/postgres/teardown.ts",
          ],
        },
      },
    ],
    // The program as it is built, which tests run in their own process, is loaded as it is.
    server: { deps: { external: [/\/dist\//] } },
    // A machine may be many times slower than it is: what hangs fails all the same.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    pool: "forks",
    // Two more than there are cores: of three on two cores, two wait for two fifths of the time, for child processes, disks and
    // time-outs. As many at least as at most: a fork that is ended for want of work while the projects change is ended twice, and the
    // run fails. Each keeps what it has imported from one file of tests to the next, which was a quarter of the whole time: what a test
    // changes, it puts back.
    maxWorkers: Math.min(availableParallelism() + 2, 10),
    isolate: false,
    reporters: ["default", "./test/summary.ts"],
  },
})
