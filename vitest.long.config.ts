import { defineConfig, mergeConfig } from "vitest/config"
import config from "./vitest.config.ts"

/** Crash and load trials: minutes, not seconds. */
export default mergeConfig(
  { ...config, test: { ...config.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ["test/long/**/*.test.ts"], testTimeout: 120_000 } }),
)
