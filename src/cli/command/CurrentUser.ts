/** The operating system's user, as the actor of events that the command line records. */
import { userName } from "../../platform/user/Machine.ts"

export { userName } from "../../platform/user/Machine.ts"

export const userAsActor = (): string => `human:${userName()}`
