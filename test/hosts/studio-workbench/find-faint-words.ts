import type { Page } from 'playwright-core';

/** The minimum contrast of small text in WCAG's level AA. */
const least = 4.5;

/** Runs in the page: measures the contrast of every visible text with its painted background. */
const measure = `((least) => {
  const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const paint = (colors) => {
    for (const color of ['white', ...colors]) {
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
    }
    return luminance(context.getImageData(0, 0, 1, 1).data);
  };
  const faint = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode;
    if (!textContent.trim() || !parentElement.checkVisibility()) continue;
    if (parentElement.closest('.unseen, option, :disabled, noscript')) continue;
    const behind = [];
    for (let at = parentElement; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
    const ground = paint(behind);
    const words = paint([...behind, getComputedStyle(parentElement).color]);
    const contrast = (Math.max(ground, words) + 0.05) / (Math.min(ground, words) + 0.05);
    if (contrast < least) faint.add(contrast.toFixed(2) + ' ' + textContent.trim());
  }
  return [...faint];
})(${least})`;

/** The words of a page with too low contrast, with the value. Disabled ones are left out, as in the standard. */
export const findFaintWords = (page: Page): Promise<string[]> => page.evaluate(measure);
