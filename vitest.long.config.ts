import { defineConfig } from "vitest/config"
import config from "./vitest.config.ts"

const { projects: _, ...test } = config.test ?? {}

/** Crash and load trials: minutes, not seconds. */
export default defineConfig({
  ...config,
  test: {
    ...test,
    globalSetup: [
      "./test/build.ts",
      "./test/buildPrograms.ts",
      "./test/demoLogPlace.ts",
      "./test/postgres/teardown.ts",
    ],
    include: ["test/long/**/*.test.ts"],
    testTimeout: 120_000,
  },
})
