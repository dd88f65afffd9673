/** The product's name, in one place. */
export { brand } from '@/content/brand'
