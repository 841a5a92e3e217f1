/** The score set of the rewards from a task's worlds, as folds use it. */

export { LABEL, scoreSetOf } from "../../events/steps/WorldReturn.ts"
