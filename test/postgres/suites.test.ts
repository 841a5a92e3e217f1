import { Effect } from "effect"
import { backendSuite } from "../../src/testing.ts"
import { open, postgres } from "./backend.ts"
import { schema } from "./server.ts"

backendSuite("PostgreSQL", postgres, {
  reopen: Effect.map(schema, (name) => (vocabulary) => open(name, vocabulary)),
})
