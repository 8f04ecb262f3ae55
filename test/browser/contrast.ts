export interface TextColours {
  readonly what: string;
  readonly contrast: number;
  readonly wanted: number;
  /** Relative luminance of what is behind the text: 0 is black, 1 is white. */
  readonly background: number;
}

/**
 * Runs inside the page: the contrast of every visible text, from the colours the browser has computed.
 * It must not use anything from outside itself.
 */
export function measureContrast(): TextColours[] {
  type Colour = [red: number, green: number, blue: number, alpha: number];

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!canvas) throw new Error('no canvas');
  const parse = (css: string): Colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = css;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = (top: Colour, below: Colour): Colour => {
    const mix = (index: 0 | 1 | 2): number => top[index] * top[3] + below[index] * (1 - top[3]);
    return [mix(0), mix(1), mix(2), 1];
  };
  const luminance = (colour: Colour): number => {
    const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): Colour => {
    // Below everything is the browser's own canvas, white or black as the page's color-scheme says.
    if (!element)
      return parse(
        getComputedStyle(document.documentElement).colorScheme.includes('dark') &&
          matchMedia('(prefers-color-scheme: dark)').matches
          ? '#121212'
          : '#ffffff',
      );
    const own = parse(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(element.parentElement));
  };
  const result: TextColours[] = [];
  const measure = (element: Element, text: string, pseudo?: string): void => {
    const style = getComputedStyle(element, pseudo);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const background = behind(element);
    const colour = parse(style.color);
    const [lighter = 0, darker = 0] = [luminance(over(colour, background)), luminance(background)].sort(
      (a, b) => b - a,
    );
    result.push({
      what: `${text.slice(0, 40)} (${element.tagName.toLowerCase()}.${element.className})`,
      contrast: Math.round(((lighter + 0.05) / (darker + 0.05)) * 100) / 100,
      wanted: large ? 3 : 4.5,
      background: luminance(background),
    });
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent?.trim();
    if (!element || !text || element.closest('script, style, .unseen, textarea')) continue;
    if (element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) measure(element, text);
  }
  const input = document.querySelector('textarea');
  if (input) {
    measure(input, 'typed text');
    measure(input, 'placeholder', '::placeholder');
  }
  return result;
}
