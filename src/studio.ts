/**
 * The entry `hindcast/studio`: a time-travel debugger in the browser, served by the program that has the log open.
 *
 * @example
 * import * as Studio from "hindcast/studio"
 * Layer.provideMerge(Studio.layer({ answer: true }), Hindcast.layer({ log: "agent.db" }))
 *
 * @module hindcast/studio
 */

export { layer, type PortUnavailable, type ScenarioOptions, Studio, type StudioOptions } from "./studio/Studio.ts"
