/** The prompt of a session in which Hindcast checked a client's hooks. Such a session is nobody's work: no import takes it. */

const WORDS = "Hindcast checks its hooks"

/** A prompt that no other session has. */
export const make = (id: string): string => `${WORDS} (${id})`

/** Whether a session with this goal was such a check. */
export const isOne = (goal: string): boolean => goal.startsWith(WORDS)
