/** Who runs this product. An operator puts their own company here; everything that names it reads from this file. */
export const brand = {
  name: 'Solvane',
  tagline: 'Learn to film for brands. See every cent you earn.',
  company: 'Solvane Ltd.',
  address: '1 Harbour Row, Dublin, Ireland',
  email: 'hello@solvane.example',
  privacyEmail: 'privacy@solvane.example',
  /** The law and courts that the terms name. */
  jurisdiction: 'Ireland',
  legalUpdated: 'November 21, 2026',
} as const
