import type { WorldPlugin } from "hindcast/plugin"
import { walkers } from "./walkers.ts"

export default { environment: walkers() } satisfies WorldPlugin
