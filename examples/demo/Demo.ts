/** The demos of `hindcast demo`. */

export * as SeasonPage from "./SeasonPage.ts"
export type { Stage, User } from "./Stage.ts"
export * as FirstKernel from "./story/FirstKernel.ts"
export * as Story from "./story/Story.ts"
export { showSteps } from "./Words.ts"
export * as Tour from "./world/Tour.ts"
