/** The demos that `hindcast demo` gives on a stage of the terminal's. */
export * as FirstKernel from "./live/FirstKernel.ts"
export * as Story from "./live/Story.ts"
export * as SeasonPage from "./SeasonPage.ts"
export type { Stage, User } from "./Stage.ts"
export * as Tour from "./tour/Tour.ts"
export { showSteps } from "./Words.ts"
