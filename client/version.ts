/** The version of the client: that of package.json, which a test compares. */
export const version = '1.0.0'
