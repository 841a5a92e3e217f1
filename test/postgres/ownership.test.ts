import { Effect } from "effect"
import { ownershipSuite } from "../kernel/queue/ownershipSuite.ts"
import { postgres } from "./backend.ts"

ownershipSuite(
  "by sessions on a server",
  { place: postgres.place, open: postgres.open, crash: (place) => Effect.asVoid(postgres.crash(place)) },
  true,
)
