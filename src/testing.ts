/** Test kits for embedding programs and backends: `import { suite } from "hindcast/testing"`. Needs vitest. */
export { suite } from "./events/testing.ts"
