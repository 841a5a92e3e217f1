/** Finds out where the page is: in a shared file, in the frame of a host, or at a server. */
import { APP, QUESTION } from "../../wire/Shared.ts"

/** Whether the page itself contains its data. */
export const isSharedFile = (): boolean => document.querySelector(`template[${QUESTION}]`) !== null

/** Whether the page waits for a host that says what to show. */
export const isInHost = (): boolean => document.body.hasAttribute(APP)
