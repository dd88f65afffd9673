/** Settings of the build. */

/** Where the API lives; the same origin unless the build says otherwise. */
export const apiUrl = import.meta.env.VITE_API_URL ?? '/v1'
