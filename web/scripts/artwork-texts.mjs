// The words on the rendered files: the printable checklist and the slides of the course videos.
export const checklist = {
  title: 'The first ten days of a UGC creator',
  subtitle: 'About an hour a day. Tick a box only when the thing exists.',
  footer: 'From the UGC Video Course by Solvane. A course teaches a craft; nobody can promise you an income.',
  steps: [
    { day: 'Day 1', title: 'Choose a niche', tasks: ['List twenty products within your reach', 'Group them; the largest group is your niche', 'Find five brands of it in public ad libraries'] },
    { day: 'Day 2', title: 'Watch like an editor', tasks: ['Note the first sentence of ten ads', 'Mark what you see in second one', 'Write three openings of your own'] },
    { day: 'Day 3', title: 'Find your set', tasks: ['Film one sentence in four places', 'Judge light muted, sound with eyes closed', 'Write down the best place and hour'] },
    { day: 'Day 4', title: 'Write two scripts', tasks: ['One promise each, last line first', 'At most 60 words for 25 seconds', 'Seven shots and three openings each'] },
    { day: 'Day 5', title: 'Film', tasks: ['Wipe the lens, lock focus and exposure', 'Wide, medium and close of each action', 'Two seconds before and after each shot', 'Ten seconds of silence for the cuts'] },
    { day: 'Day 6', title: 'Cut', tasks: ['Body once, openings joined without a jump', 'Captions in the safe zone, two lines at most', 'One version with captions, one clean'] },
    { day: 'Day 7', title: 'Watch as a stranger', tasks: ['Ask one honest person where it got boring', 'Cut there', 'Export 1080 × 1920 and name the files'] },
    { day: 'Day 8', title: 'Put a page online', tasks: ['One line: what you make, for whom', 'Best clip first, five at most', 'Mark uncommissioned work as a sample', 'Open it on an old phone'] },
    { day: 'Day 9', title: 'Write your price sheet', tasks: ['Hours × rate + costs = production', 'Openings, paid use and raw footage as lines', 'Three sentences that say what is licensed'] },
    { day: 'Day 10', title: 'Send two pitches', tasks: ['Name something that is missing', 'Five sentences, one question, one link', 'Note the date; follow up once after five days'] },
  ],
}

export const clips = {
  tour: [
    { art: 'poster-tour', title: 'Seven modules, one path', points: ['Each ends with a task you finish the same day.'], seconds: 4 },
    { art: 'gallery-unboxing', title: 'First, the trade', points: ['1  UGC 101', '2  An affiliate program', '3  Portfolios and personal branding'], seconds: 5.5 },
    { art: 'studio', title: 'Then, the craft', points: ['4  Equipment and filming', '5  Hooks and editing'], seconds: 4.5 },
    { art: 'gallery-testimonial', title: 'Then, the business', points: ['6  Pitching and pricing', '7  Usage rights and growth'], seconds: 4.5 },
    { art: 'gallery-how-to', title: 'What you have at the end', points: ['Five samples on a page of your own', 'A price sheet and a licence text', 'A first list of brands to write to'], seconds: 5.5 },
  ],
  hooks: [
    { art: 'poster-hooks', title: 'One clip, three openings', points: ['Brands test openings, not whole videos.'], seconds: 4 },
    { art: 'gallery-problem', title: 'A  The problem, shown', points: ['The lunch box leaks. No words needed.'], seconds: 4 },
    { art: 'gallery-hooks', title: 'B  The number', points: ['“I washed this shirt 43 times.” Only if you did.'], seconds: 4 },
    { art: 'gallery-voice-over', title: 'C  The question', points: ['“Why does your coffee taste burnt?”'], seconds: 4 },
    { art: 'gallery-hooks', title: 'Plan before you film', points: ['End all three at the same moment.', 'Then each one joins the body.'], seconds: 4 },
  ],
  window: [
    { art: 'poster-window', title: 'A set made of a window', points: ['Daylight is soft, even and free.'], seconds: 4 },
    { art: 'studio', title: 'Face the window', points: ['An arm’s length to two metres away.', 'Never behind you.'], seconds: 4 },
    { art: 'poster-window', title: 'Ceiling lamp off', points: ['Two colours of light look cheap.', 'White cardboard fills the dark side.'], seconds: 4 },
    { art: 'gallery-testimonial', title: 'Phone at eye height', points: ['Lock focus and exposure.', 'Wipe the lens. Always.'], seconds: 4 },
    { art: 'gallery-voice-over', title: 'Then listen', points: ['Fridge and fan off.', 'Record ten seconds of silence.'], seconds: 4 },
  ],
}
