/** The refusal of a world's call: an error with a code for programs. */

export const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code })
