/** Ends the server of a run of tests: part of the set-up of both projects. */
export const teardown = async (): Promise<void> => (await import("./cluster.ts")).teardown()
