/** Test kits for embedding programs and backends: `import { suite } from "hindcast/testing"`. Needs vitest. */
export { type SuiteOptions, suite } from "./events/testing.ts"
