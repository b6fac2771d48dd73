"""Sentences without a word of assent or denial, read by hand."""

import pytest

from vhbench.language.parsing import yes_no

ROWS = """
Is there a wheel? | No wheel is missing. | yes
Is a wheel missing? | No wheel is missing. | no
Is there a dog? | Just a bus. | no
Is there a dog? | Only a dog. | yes
Is there a dog? | Only cats are visible. | no
Is there a dog? | No such animal is here. | no
Is there a dog? | There is no such thing. | no
Is there a dog? | There is really no thing. |
Is there a dog? | It is not present. | no
Is there a dog? | The image is not visible. |
Is there a dog? | None in the image. | no
Is there a dog? | The dog is not black. | yes
Is there a dog? | A dog or a wolf. |
Is there a dog? | A wolf, or a dog. |
Is there a dog? | Neither dogs nor cats are there. | no
Is there a dog? | There is no cat nor a dog. | no
Is there a dog? | There are no cats, dogs or birds. | no
Is there a dog? | It is wrong to say that there is no dog. | yes
Is there a dog? | There is not a scene without a dog. |
Is there a dog? | Maybe. There is a dog. | yes
Is there a dog? | There is a dog. I am not sure. |
Is there a dog? | Cats without dogs. | no
Are there dots in the image? | The dots that you see are not really there. | no
Is there a mosque? | This is a church rather than a mosque. | no
Is this a mosque? | This is a mosque rather than a church. | yes
Is there a dog or a cat? | There is a dog. | yes
Is there a dog or a cat? | There is no dog. |
Is there a dog or a cat? | There is neither a dog nor a cat. | no
Is there a bird? | There are no people, just a bird. | yes
Is there a bird? | A bird can barely be seen. | yes
Is there a dog? | The dog is not fully visible, but its tail can be seen. |
Is there a dog? | The dog is not the only animal. |
Is there a dog? | A cat sleeps in a dog bed. |
Is there a dog? | A stuffed dog is on the bed. |
Is there a bird? | The bird is gone. | no
Is there a bird? | The bird is out of view. | no
Is there a bird? | The nest suggests that there is a bird. |
Is there a dog? | There is a 50% chance that there is a dog. |
Is there a dog? | There is insufficient evidence for a dog. |
Is there a dog? | Usually there is a dog in such a scene. |
Is there a red umbrella in any of the images? | Image 1 does not show a red umbrella. |
Is there a red umbrella in any of the images? | Image 1 shows no red umbrella, but image 2 does. |
Is there a dog in Image 2? | There is no dog in Image 2. | no
Is the man holding a cup? | The woman next to the man is holding a cup. |
Is the man holding a cup? | The man appears to be holding a cup, but it is a phone. |
Is the car red? | The bus behind the car is red. |
Is the car red? | The roof of the car is red. |
Is the car red? | The car has a red roof. |
Is the car red? | The car seems red but is orange. |
Is the car red? | The car is partly red. |
Is the glass full? | The glass is half full. |
Is the glass full? | It is nearly full. |
Is the glass half full? | It is half full. | yes
Is there a dog on the sofa? | A dog looks at a cat on the sofa. |
Is there a dog on the sofa? | A dog lies on the red sofa. | yes
Are the two lines parallel? | They only seem to be parallel. |
Are all the people wearing helmets? | All the men are wearing helmets. |
Are there exactly two dogs? | There are two dogs on the left and one on the right. |
Are there exactly two dogs? | Two brown dogs and one black dog. |
Are there exactly two dogs? | There are two dogs and another one in the background. |
Are there exactly two dogs? | There are two men with a dog. |
Are there exactly two dogs? | There are two to three dogs. |
Are there exactly two dogs? | There are two brown dogs. | yes
Are there exactly two dogs? | There are two cats and one dog. | no
Are all the people wearing helmets? | Everyone wears a helmet except for the child. | no
Are all the people wearing helmets? | All the people are wearing helmets, except the child. | no
Are all the people wearing helmets? | All the people are wearing helmets apart from the child. | no
Are all the people wearing helmets? | Two of the three people are wearing helmets. |
Is there a dog in every image? | There is a dog in almost every image. | no
Is there a dog in every image? | There's a dog in nearly all images. | no
Is there a dog in every image? | There's a dog in all of the images apart from the last. | no
Is there a dog in every image? | With the exception of image 2, every image contains a dog. | no
Is there a dog? | Apart from a dog, there is nothing. |
Is there a dog? | Apart from the cat, there is a dog. | yes
Does the woman wear glasses? | Her glasses are on the table. |
Is there a dog in the image? | The text mentions a dog, but there isn't one. |
Is there a dog in the image? | There isn't one. | no
Does the man hold a cup? | The man, who doesn't wear a hat, holds a cup. | yes
Is there a dog? | I see a cat, but there is no dog. | no
Is there an accident or anything in the picture? | There is no accident. | no
Do all the images show a dog? | Only the first image shows a dog. | no
Do all of the images show a dog? | All images show a dog. | yes
Is there a dog in all of the images? | A dog is in all images. | yes
Is there a dog in all of the images? | There is a dog in the first image. |
Is there a dog in every image? | There is a dog in every image but the last. | no
Is there a dog in every image? | There is a dog in every image except image 3. | no
Is there a dog in every image? | All four images show a dog. | yes
Is there a dog in every image? | Every image contains a dog. | yes
Is there a dog in every image? | Each of the images has a dog. | yes
Is there a dog in every image? | A dog can be seen in each of them. | yes
Is there a dog in every image? | They all have a dog. | yes
Is there a dog in every image? | There is a dog in Image 1. |
Is there a dog in every image? | Image 1 shows a dog. |
Is there a dog in every image? | There is a dog. |
Is there a dog in every image? | There is a dog in Image 1, but there is no dog in Image 2. | no
Is there a dog in every image? | Only Image 1 has a dog. | no
Is there a dog in every image? | Image 3 does not contain a dog. | no
Is there a dog in every image? | Not every image has a dog. | no
Is there a dog in every image? | There is not a dog in every image. | no
Is there a dog in every image? | The dog is missing from the second image. | no
Is there a dog in every image? | None of the images shows a dog. | no
Is there a dog in every image? | Only three of the four images show a dog. | no
Is there a dog in every image? | Every image has a cat. |
Is there a dog in every image? | Most images show a dog. |
Is there a dog in every image? | There is a dog in Image 1, 2, 3 and 4, so all of them have a dog. | yes
Do all the images show a dog? | Only the first image shows a dog. | no
Do all the images show a dog? | The first image shows a dog. |
Do all the images show a dog? | All of them show a dog. | yes
Do all the images show a dog? | A dog is in all images. | yes
Do all the images show a dog? | A dog appears in every image. | yes
Do both images show a dog? | The second image shows a dog. |
Do both images show a dog? | Only one has a dog. | no
Do both images show a dog? | They show a dog. | yes
Is there a dog in both images? | Both images contain a dog. | yes
Is there a dog in both images? | Only one has a dog. | no
Is there a dog in both images? | Only the first image has a dog. | no
Is there a dog in both images? | There is a dog in the first image. |
Is there a dog in all the images? | There is a dog in the first image. |
Is there a dog in each image? | There is a dog in each image. | yes
Is there a dog in each image? | There's a dog in both. | yes
Do all the children wear hats? | All of the children wear hats. | yes
Do all the children wear hats? | The children wear hats. | yes
Do all the children wear hats? | Only one child wears a hat. | no
Are both men wearing glasses? | Both are wearing glasses. | yes
Are both men wearing glasses? | One of them is not wearing glasses. | no
Is the bus yellow? | It is yellow. | yes
Is the bus yellow? | A yellow school bus. | yes
Is the bus yellow? | A yellow car. |
Is the bus yellow? | Yellow taxi |
Is the bus yellow? | Yellow color. | yes
Is the bus yellow? | Yellow, with a white roof. | yes
Is the dog on a bench? | On a bench. | yes
Is the dog on a bench? | On a bench outside | yes
Is the dog sitting? | Sitting. | yes
Is the dog sitting? | Sitting down | yes
Is the dog sitting? | Sitting on the floor | yes
Is the man holding a cup? | Tries to hold a cup |
Is the man trying to hold a cup? | The man is trying to hold a cup. | yes
Do all the children wear hats? | All of the children wear hats, except one. | no
Is there a dog in every image? | There is a dog in every image, but small. | yes
Is there a dog in every image? | Every image contains a dog except for the second one. | no
Is there a red car in each image? | All images show a red car. | yes
Is there a red car in each image? | All images show a car. |
Is there a red car in each image? | There is no red car in the third image. | no
Is there a dog on a sofa in each image? | All images show a dog. |
Is there a dog next to a cup in every image? | Each image shows a dog next to a cup. | yes
Do all images show a dog? | All images show a dog. | yes
Do all images show a dog? | Some images show a dog. |
Do all images show a dog? | The last two images show a dog. |
Do all images show a dog? | Just two images show a dog. | no
Are all three men happy? | Not all men are happy. | no
Are all three men happy? | Two men are not happy. | no
Are all of the men happy? | Only some men are happy. | no
Is a man wearing glasses? | Only one man wears glasses. |
Are there two dogs? | There is only a dog. | no
Are there two dogs? | There are two big old fluffy brown dogs. | yes
Are there three dogs? | There are two big old fluffy brown dogs. | no
Are there exactly two dogs? | Two. | yes
Are there exactly two dogs? | Three. |
Are there exactly two dogs? | There are three. | no
Are there exactly two dogs? | Dogs. |
Are there more than two dogs? | There is just a dog. | no
Is the man wearing a hat? | The man is shown without a hat. | no
Is the man wearing a hat? | He is not without a hat. |
Is the man wearing a hat? | There is no hat. | no
Is the man wearing a hat? | The woman wears no hat. |
Is the lamp on the table? | The lamp is not standing on the table. | no
Is the woman's hair blonde? | She has no blonde hair. | no
Is the dog black? | The dog is not black. | no
Is the dog next to the red cup? | The cup next to the dog is not red. |
Is the man tall and happy? | The man is not happy or tall. | no
Is the dog brown? | It would be wrong to say that the dog is brown. | no
Is the dog on a sofa? | A small dog lies on the red sofa. | yes
Is the sky clear? | The sky is not clear. | no
Did sales rise in 2010? | Sales did not rise in 2010. | no
Did sales rise in 2010? | Sales did not rise in 2011. |
Did sales rise in 2010? | In 2011, sales rose. |
Did sales rise in 2010? | In 2010, sales rose. | yes
Did sales rise in 2010? | In 2010, sales did not rise. | no
Is it more suitable for winter than summer? | Winter. | yes
Is it more suitable for winter than summer? | Summer. |
Is the image a landscape or a portrait? | Landscape. | yes
"""


@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_a_statement_answers(row: str) -> None:
    question, response, expected = (cell.strip() for cell in row.split("|"))
    assert yes_no(response, question) == expected
