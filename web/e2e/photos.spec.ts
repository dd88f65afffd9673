import type { Page } from '@playwright/test'
import { signedIn } from './support/stack'
import { expect, test } from './support/test'

/** A photo of the size that a phone makes, with detail enough that a lossless one would be large. */
async function photo(page: Page, width: number, height: number): Promise<Buffer> {
  const base64 = await page.evaluate(async ([width, height]) => {
    const canvas = document.createElement('canvas')
    canvas.width = width
    canvas.height = height
    const context = canvas.getContext('2d')
    for (let x = 0; x < width && context; x += 40) {
      context.fillStyle = `hsl(${x % 360} 70% 50%)`
      context.fillRect(x, 0, 20, height)
    }
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9))
    const bytes = new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))
    let text = ''
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
    return btoa(text)
  }, [width, height] as const)
  return Buffer.from(base64, 'base64')
}

test('a photo of 24 megapixels becomes a proof, and a file that cannot be read is refused at once [DEP-05] [D-P2] [D-V2]', async ({ page }) => {
  await signedIn(page)
  await page.goto('/deposits')
  await page.getByLabel('Amount').fill('120')
  await page.getByText('Bitcoin', { exact: true }).click()
  const field = page.getByLabel('Proof of payment')

  await field.setInputFiles({ name: 'IMG_0042.HEIC', mimeType: '', buffer: Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1') })
  await expect(page.getByText(/This browser cannot read HEIC photos/)).toBeVisible()
  await field.setInputFiles({ name: 'half.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('\xff\xd8\xff\xe0 half', 'latin1') })
  await expect(page.getByText(/This picture cannot be read/)).toBeVisible()

  await field.setInputFiles({ name: 'IMG_0043.png', mimeType: 'image/png', buffer: await photo(page, 6000, 4000) })
  await expect(page.getByText('Proof of payment uploaded successfully!')).toBeVisible()
  await expect(page.getByText('IMG_0043.jpeg')).toBeVisible()
  await expect(page.getByText(/This picture cannot be read/)).toBeHidden()
  await page.getByRole('button', { name: 'I have made payment' }).click()
  await expect(page).toHaveURL('/transactions')
})
