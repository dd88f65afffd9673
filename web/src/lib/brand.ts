/** The product's name, in one place. */
export const brand = { name: 'Solvane' } as const
