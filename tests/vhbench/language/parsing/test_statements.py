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
Is there an accident or anything in the picture? | There is no accident. | no
Do all the images show a dog? | Only the first image shows a dog. | no
Do all of the images show a dog? | All images show a dog. | yes
Is there a dog in all of the images? | A dog is in all images. | yes
Is there a dog in all of the images? | There is a dog in the first image. |
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
